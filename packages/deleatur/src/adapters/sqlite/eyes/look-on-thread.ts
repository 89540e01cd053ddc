// What a thread runs: looks at the bytes of the SQLite store that it was started for. It reads the store through a connection of its own, and changes nothing.
import { workerData } from "node:worker_threads";
import { tellOfLook } from "../../../probe/tell-of-look.ts";
import type { BytesOrder } from "./bytes-thread.ts";
import { lookAtBytes } from "./look-at-bytes.ts";

// Given by `lookOnThread`.
const order = workerData as BytesOrder;
await tellOfLook((signal, opened) => lookAtBytes(order, signal, opened));
