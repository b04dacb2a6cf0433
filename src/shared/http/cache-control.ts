/** `no-store` on top of the headers of every answer, where it carries data of Clients (docs/decisions.md, "Response headers"). */
export const CLIENT_DATA_CACHE_CONTROL = 'max-age=1, no-cache, no-store';
