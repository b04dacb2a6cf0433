import { getClientAddress, toRateLimitAddress } from './client-address.js';

it.each([
  ['203.0.113.1', '203.0.113.1'],
  ['::ffff:203.0.113.1', '203.0.113.1'],
  ['::FFFF:203.0.113.1', '203.0.113.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0DB8:0001:0002::7', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8::2:3:4:5:6', '2001:db8:0:2'],
  ['1:2:3:4:5:6:7::', '1:2:3:4'],
  ['::2:3:4:5:6:7:8', '0:2:3:4'],
  ['::1', '0:0:0:0'],
  ['::', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['', ''],
  ['unknown', 'unknown'],
])('%s counts as %s', (address, counted) => {
  expect(toRateLimitAddress(address)).toBe(counted);
});

it.each([
  ['the one that trusted proxies forward', '2001:db8::1', '127.0.0.1', '2001:db8:0:0'],
  ['the connection, if the forwarded value is not an address', 'unknown', '127.0.0.1', '127.0.0.1'],
  ['a closed connection: none', 'unknown', undefined, ''],
])('uses the address: %s', (_, ip, remoteAddress, counted) => {
  expect(getClientAddress({ ip, socket: { remoteAddress } } as never)).toBe(counted);
});
