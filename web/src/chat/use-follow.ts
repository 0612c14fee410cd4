import { type RefObject, useEffect, useRef } from "react";

const NEAR_PX = 80;

/** Keeps the end of a growing region in view, unless the reader has scrolled away from it. */
export function useFollow(region: RefObject<HTMLElement | null>, active: boolean): () => void {
  const following = useRef(true);
  const top = useRef(0);

  useEffect(() => {
    const element = region.current;
    if (!element || !active) return;
    const follow = () => {
      if (following.current) element.scrollTop = element.scrollHeight;
    };
    // The region itself shrinks when a notice appears below it; its content grows.
    const observer = new ResizeObserver(follow);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    return () => observer.disconnect();
  }, [region, active]);

  return () => {
    const element = region.current;
    if (!element) return;
    const { scrollHeight, scrollTop, clientHeight } = element;
    // What grows below moves the end away, but only a reader moves the top up.
    if (scrollTop < top.current) following.current = false;
    if (scrollHeight - scrollTop - clientHeight < NEAR_PX) following.current = true;
    top.current = scrollTop;
  };
}
