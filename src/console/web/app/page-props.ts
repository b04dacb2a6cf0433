/** The properties of every page. The type has its own file, because pages cannot import the routes that load them. */
export type PageProps = { params: Readonly<Record<string, string>>; query: URLSearchParams };
