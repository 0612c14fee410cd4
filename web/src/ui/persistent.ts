import { useCallback, useState } from "react";

/** A choice of the user's that is still there after a reload. */
export function usePersistent<T extends string>(
  key: string,
  fallback: T,
  allowed: readonly T[],
): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => {
    const kept = read(key);
    return allowed.find((one) => one === kept) ?? fallback;
  });
  const choose = useCallback(
    (next: T) => {
      setValue(next);
      write(key, next);
    },
    [key],
  );
  return [value, choose];
}

// Storage may be forbidden; then a choice lasts as long as the page.
function read(key: string): string | null {
  try {
    return localStorage.getItem(`adk-stream.${key}`);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(`adk-stream.${key}`, value);
  } catch {
    return;
  }
}
