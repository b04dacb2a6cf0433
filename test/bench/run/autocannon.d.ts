/** The part of autocannon that is used here. The package has no types. */
declare module 'autocannon' {
  type Options = {
    url: string;
    connections: number;
    duration: number;
    sampleInt: number;
    requests: { setupRequest: (template: object) => object }[];
  };
  type Run = PromiseLike<{ errors: number; timeouts: number }> & {
    on(
      event: 'response',
      listener: (client: unknown, status: number, bytes: number, milliseconds: number) => void,
    ): void;
  };
  export default function autocannon(options: Options): Run;
}
