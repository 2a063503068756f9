// memd's socket from Node: `net` and a MessagePack package, nothing else. An Obsidian plugin (desktop) can use it as it is.
//
//   const memd = await connect("/run/user/1000/memd/notes-1a2b3c4d.sock");
//   const { hits } = await memd.call("memory.search", { query: "摄影" });
//   for await (const { event, data } of memd.subscribe({ kinds: ["changed"] })) console.log(event, data.path);
//
// A frame is a 4-byte big-endian length and one MessagePack map. Requests may be sent without waiting for one another.

import { connect as open } from "node:net";
import { decode, encode } from "@msgpack/msgpack";

export class Refused extends Error {
  constructor({ code, message, data = {} }) {
    super(message);
    this.code = code; // not_found, conflict, confirm_required …: see the README
    this.data = data;
  }
}

class Memd {
  #socket;
  #held = Buffer.alloc(0);
  #waiting = new Map(); // id → {resolve, reject}
  #listening = new Map(); // subscription → function(event)
  #last = 0;

  constructor(socket) {
    this.#socket = socket;
    socket.on("data", (data) => this.#feed(data));
    socket.on("close", () => this.#lost(new Error("memd hung up")));
    socket.on("error", (error) => this.#lost(error));
  }

  /** The result of a method; rejects with Refused where memd refuses. */
  call(method, params = {}) {
    return this.#send(method, params, () => {});
  }

  #send(method, params, answered) {
    const id = ++this.#last;
    const body = encode({ v: 1, id, method, params });
    const head = Buffer.alloc(4);
    head.writeUInt32BE(body.length);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, answered });
      this.#socket.write(Buffer.concat([head, body]));
    });
  }

  /** Events `{event, data}` until the connection ends; `{code: "lagged"}` in a problem says that some were missed. */
  async *subscribe(params = {}) {
    const queue = [];
    let wake = () => {};
    const hear = (event) => {
      queue.push(event);
      wake();
    };
    // Before the next frame is looked at: an event may follow the answer in one piece.
    const { sub } = await this.#send("subscribe", params, (result) => this.#listening.set(result.sub, hear));
    try {
      while (true) {
        while (queue.length) {
          const event = queue.shift();
          if (event === null) return;
          yield event;
        }
        await new Promise((resolve) => (wake = resolve));
      }
    } finally {
      this.#listening.delete(sub);
    }
  }

  close() {
    this.#socket.end();
  }

  #feed(data) {
    this.#held = Buffer.concat([this.#held, data]);
    while (this.#held.length >= 4) {
      const end = 4 + this.#held.readUInt32BE(0);
      if (this.#held.length < end) return;
      const frame = decode(this.#held.subarray(4, end));
      this.#held = this.#held.subarray(end);
      this.#take(frame);
    }
  }

  #take(frame) {
    if (frame.event) {
      this.#listening.get(frame.sub)?.({ event: frame.event, data: frame.data });
      return;
    }
    const waiting = this.#waiting.get(frame.id);
    this.#waiting.delete(frame.id);
    if (!waiting) return;
    if (!frame.ok) return waiting.reject(new Refused(frame.error));
    waiting.answered(frame.result);
    waiting.resolve(frame.result);
  }

  #lost(error) {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    for (const tell of this.#listening.values()) tell(null);
  }
}

/** A connection to the daemon at this socket. `memd status` starts one where none answers. */
export function connect(path) {
  return new Promise((resolve, reject) => {
    const socket = open(path, () => {
      socket.off("error", reject);
      resolve(new Memd(socket));
    });
    socket.once("error", reject);
  });
}
