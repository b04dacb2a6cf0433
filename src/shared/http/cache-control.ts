/** For responses with data of Clients: adds `no-store` to the usual value (docs/decisions.md, "Response headers"). */
export const CLIENT_DATA_CACHE_CONTROL = 'max-age=1, no-cache, no-store';
