// Chunks before the judges: every schema, and the reader of both majors.
import { schemas, sdks } from "./sdks.mjs";

/** What the schemas say against the chunks; empty if all accept them. */
export async function schemaFaults(chunks) {
  const faults = [];
  for (const [name, schema] of Object.entries(schemas)) {
    for (const chunk of chunks) {
      const verdict = await schema.validate(chunk);
      if (!verdict.success) faults.push(`${name} refuses ${JSON.stringify(chunk)}`);
    }
  }
  return faults;
}

/** The message a major reads from the chunks, going on from `message` if there is one. */
export async function read(major, chunks, message) {
  const faults = [];
  const stream = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(structuredClone(chunk));
      controller.close();
    },
  });
  const onError = (error) => faults.push(`${major} reader: ${error.message}`);
  let last = message;
  const seed = message && structuredClone(message);
  for await (const next of sdks[major].readUIMessageStream({ message: seed, stream, onError })) {
    last = next;
  }
  return { message: last, faults };
}

/** All judges on the replies that make up one message, in order. */
export async function judge(replies) {
  const faults = await schemaFaults(replies.flat());
  const messages = {};
  for (const major of Object.keys(sdks)) {
    for (const chunks of replies) {
      const verdict = await read(major, withoutErrors(chunks), messages[major]);
      messages[major] = verdict.message;
      faults.push(...verdict.faults);
    }
  }
  return { faults, messages };
}

/** An error chunk is legal, but a reader reports it as an error of its own. */
export const withoutErrors = (chunks) => chunks.filter((chunk) => chunk.type !== "error");
