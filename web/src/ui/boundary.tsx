import { Component, type ReactNode } from "react";

type Props = {
  /** What is shown. Another content is another chance. */
  content: unknown;
  fallback: ReactNode;
  children: ReactNode;
};
type State = { failed: boolean; content: unknown };

/** Keeps a fault of what is inside from taking the rest of the page with it. */
export class Boundary extends Component<Props, State> {
  override state: State = { failed: false, content: this.props.content };

  static getDerivedStateFromError(): Partial<State> {
    return { failed: true };
  }

  static getDerivedStateFromProps({ content }: Props, state: State): State | null {
    return content === state.content ? null : { failed: false, content };
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}
