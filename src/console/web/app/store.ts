import { useEffect, useState } from 'preact/hooks';

/** A value that components share. Components that read it with `useStore` are rendered again when it changes. */
export type Store<T> = {
  get(): T;
  set(value: T): void;
  subscribe(listener: () => void): () => void;
};

export function createStore<T>(initial: T): Store<T> {
  let current = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set: (value) => {
      if (Object.is(value, current)) return;
      current = value;
      for (const listener of [...listeners]) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(() => store.get());
  useEffect(() => {
    const follow = () => setValue(() => store.get());
    // Reads the value again, because it may have changed between rendering and this effect.
    follow();
    return store.subscribe(follow);
  }, [store]);
  return value;
}
