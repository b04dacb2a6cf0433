/** The default value with `no-store` added, for responses with client data (docs/decisions.md, "Response headers"). */
export const CLIENT_DATA_CACHE_CONTROL = 'max-age=1, no-cache, no-store';
