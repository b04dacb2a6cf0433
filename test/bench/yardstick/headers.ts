/** The headers of every response of the product: the specified headers, CORS headers and helmet headers. */
export const ANSWER_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-credentials': 'true',
  'access-control-allow-origin': `http://localhost:${process.env['PORT']}`,
  'access-control-expose-headers': 'location, etag, retry-after',
  'cache-control': 'max-age=1, no-cache',
  'content-security-policy':
    "default-src 'self';base-uri 'self';font-src 'self' https: data:;form-action 'self';frame-ancestors 'self';" +
    "img-src 'self' data:;object-src 'none';script-src 'self';script-src-attr 'none';style-src 'self' https: 'unsafe-inline'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  expires: '0',
  'origin-agent-cluster': '?1',
  pragma: 'no-cache',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  vary: 'Origin',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '1; mode=block',
};
