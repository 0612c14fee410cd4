// The judges: the newest `ai` of both majors, and the oldest for their stricter schemas.
import * as ai6 from "ai6";
import * as ai600 from "ai600";
import * as ai7 from "ai7";
import * as ai700 from "ai700";

export const sdks = { ai6, ai7 };
export const schemas = Object.fromEntries(
  Object.entries({ ai6, ai7, ai600, ai700 }).map(([name, ai]) => [name, ai.uiMessageChunkSchema()]),
);
