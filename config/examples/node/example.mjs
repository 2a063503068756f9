// node example.mjs SOCKET QUERY: searches, writes a note, hears of it, and shows what a refusal looks like.

import { connect, Refused } from "./memd.mjs";

const [socket, query = "memd"] = process.argv.slice(2);
const memd = await connect(socket);

const { vault, capabilities } = await memd.call("hello", { client: "node-example" });
console.log(`${vault.name}: vectors ${capabilities.vector.state}`);

const [first, recent] = await Promise.all([
  memd.call("memory.search", { query, limit: 3 }),
  memd.call("memory.recent", { limit: 3 }),
]);
for (const hit of first.hits) console.log(`found ${hit.path}: ${hit.snippet.split("\n")[0]}`);
console.log(`${recent.changes.length} changed lately`);

const events = memd.subscribe({ kinds: ["changed"] });
const heard = events.next();
const note = await memd.call("memory.write", {
  title: `来自 Node ${Date.now()}`,
  observations: [{ category: "example", text: "written over the socket" }],
});
const { value } = await heard;
console.log(`wrote ${note.path}, heard of ${value.data.path}`);

try {
  await memd.call("memory.read", { permalink: "there-is-no-such-note" });
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.log(`refused: ${error.code}`);
}
memd.close();
