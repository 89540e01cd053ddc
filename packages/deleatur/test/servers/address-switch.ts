// One loopback address that leads to one server after another, as that of a service does whose server fails over.
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Ends with the test. */
export async function startSwitch(first: number): Promise<{ readonly port: number; to(port: number): void }> {
  let target = first;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const onwards = connect(target, "127.0.0.1");
    for (const socket of [client, onwards]) {
      open.add(socket);
      socket.on("error", () => socket.destroy()).on("close", () => open.delete(socket));
    }
    client.pipe(onwards).pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const end = (): void => {
    for (const socket of open) socket.destroy();
  };
  onTestFinished(() => {
    end();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    port: address.port,
    to(port) {
      target = port;
      end();
    },
  };
}
