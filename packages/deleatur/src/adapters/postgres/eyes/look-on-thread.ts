// What a thread runs: looks at the bytes of the PostgreSQL server that it was started for. It reaches the server through a connection of its own, and changes nothing.
import { workerData } from "node:worker_threads";
import { tellOfLook } from "../../../probe/tell-of-look.ts";
import { type BytesOrder, lookAtBytes } from "./look-at-bytes.ts";

// Given by `lookOnThread`.
const order = workerData as BytesOrder;
await tellOfLook((signal, opened) => lookAtBytes(order, signal, opened));
