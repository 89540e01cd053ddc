// Lays artifacts of one surface side by side, texts in one and bytes in one, so that they can be handed to a thread without an object for each. It says of persons and sources only whether there are any.
import type { Artifact, ContentField } from "../model/artifact.ts";
import { artifactKey, foldIdentifier, type SubjectIdentifier, type SurfaceId } from "../model/ids.ts";

export interface LaidArtifacts {
  readonly surface: SurfaceId;
  readonly names: readonly string[];
  /** Keys and texts, one after the other. */
  readonly text: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of each artifact: length of its key, what it has (`HAS_…`), how many fields; of each field its type, the place of its name, its length. */
  readonly shapes: Float64Array<ArrayBuffer>;
}

const HAS_SUBJECTS = 1;
const HAS_SOURCES = 2;
const HAS_END = 4;
const TYPES = ["text", "bytes", "vector"] as const;

/** Characters and bytes of a part. */
const PART = 1 << 18;

export interface Layer {
  add(artifact: Artifact): void;
  readonly isFull: boolean;
  readonly isEmpty: boolean;
  /** What was laid; the next begins empty. */
  take(): LaidArtifacts;
}

export function layArtifacts(surface: SurfaceId): Layer {
  const names: string[] = [];
  let texts: string[] = [];
  let shapes: number[] = [];
  let bytes = new Uint8Array(PART);
  let size = 0;
  let laid = 0;

  function addBytes(more: Uint8Array): void {
    if (laid + more.length > bytes.length) {
      const larger = new Uint8Array(2 * (laid + more.length));
      larger.set(bytes);
      bytes = larger;
    }
    bytes.set(more, laid);
    laid += more.length;
  }

  function addField(field: ContentField): void {
    let name = names.indexOf(field.name);
    if (name < 0) name = names.push(field.name) - 1;
    if (field.type === "text") {
      texts.push(field.text);
      shapes.push(0, name, field.text.length);
      size += field.text.length;
      return;
    }
    const view = field.type === "bytes" ? field.bytes : field.vector;
    addBytes(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    shapes.push(TYPES.indexOf(field.type), name, view.byteLength);
  }

  return {
    get isFull() {
      return size + laid >= PART;
    },
    get isEmpty() {
      return shapes.length === 0;
    },
    add({ key, subjects, sources, expires, content }) {
      texts.push(key);
      size += key.length;
      const has =
        (subjects.length > 0 ? HAS_SUBJECTS : 0) +
        (sources.length > 0 ? HAS_SOURCES : 0) +
        (expires === undefined ? 0 : HAS_END);
      shapes.push(key.length, has, content.length);
      if (expires !== undefined) shapes.push(expires.getTime());
      for (const field of content) addField(field);
    },
    take() {
      const part = {
        surface,
        names,
        text: texts.join(""),
        bytes: bytes.slice(0, laid),
        shapes: Float64Array.from(shapes),
      };
      texts = [];
      shapes = [];
      size = 0;
      laid = 0;
      return part;
    },
  };
}

/** Stands for whoever is named. */
const SOMEBODY: SubjectIdentifier = foldIdentifier("somebody", "");

/** The artifacts again; of their persons and sources there is one where there were some. */
export function* openLaid({ surface, names, text, bytes, shapes }: LaidArtifacts): Generator<Artifact> {
  let [at, from, byte] = [0, 0, 0];
  const next = (): number => shapes[at++] ?? 0;
  const textOf = (length: number): string => text.slice(from, (from += length));
  while (at < shapes.length) {
    const key = artifactKey(textOf(next()));
    const has = next();
    const fields = next();
    const expires = (has & HAS_END) === 0 ? {} : { expires: new Date(next()) };
    const content: ContentField[] = [];
    for (let field = 0; field < fields; field += 1) {
      const type = TYPES[next()] ?? "text";
      const name = names[next()] ?? "";
      const length = next();
      if (type === "text") content.push({ type, name, text: textOf(length) });
      else {
        // A copy of its own: numbers must stand at places that are multiples of their size.
        const own = bytes.slice(byte, (byte += length));
        if (type === "bytes") content.push({ type, name, bytes: own });
        else content.push({ type, name, vector: new Float32Array(own.buffer) });
      }
    }
    yield {
      surface,
      key,
      subjects: (has & HAS_SUBJECTS) === 0 ? [] : [SOMEBODY],
      sources: (has & HAS_SOURCES) === 0 ? [] : [{ surface, key }],
      content,
      ...expires,
    };
  }
}
