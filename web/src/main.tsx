import "./no-eval";

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app";
import { createTransports } from "./chat/transports";
import { Recording } from "./inspector/recording";
import { Jukebox } from "./tools/jukebox";
import "./styles/index.css";

const recording = new Recording();
const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <App transports={createTransports(recording)} recording={recording} jukebox={new Jukebox()} />
  </StrictMode>,
);
