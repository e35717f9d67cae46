/** Hosts that are a private, local or special address in any notation. */
const literals = {
  loopback: `
    127.0.0.1 127.1 127.0.1 127.255.255.254 2130706433 017700000001 0x7f000001 0x7F.1 0177.0.0.1
    0177.0.0.01 0x7f.0x0.0x0.0x1 127.0.0.1. 127.0.0.0x1 127.0x1 0x7f.1 00000177.1 %31%32%37.0.0.1
    127%2e0%2e0%2e1 １２７.0.0.1 127。0。0。1 127．0．0．1 ①②⑦.⓪.⓪.① [::1] [0:0:0:0:0:0:0:1] [0000::0001]`,
  unspecified: `
    0 0.0.0.0 0.1.2.3 0x0 00 [::] [0::0]`,
  private: `
    10.0.0.1 10.255.255.255 167772161 012.0.0.1 0xa000001 10.1 172.16.0.1 172.31.255.255 2886729729
    0xac100001 192.168.0.1 192.168.1 3232235521 0300.0250.0.1 0xc0a80001`,
  linkLocalAndMetadata: `
    169.254.169.254 169.254.0.1 2852039166 0251.0376.0251.0376 0xa9fea9fe 169.254.43518
    0xa9.0xfe.0xa9.0xfe [fe80::1] [febf::1] [fd00:ec2::254] 100.100.100.200 192.0.0.192 168.63.129.16
    0xa83f8110 2822734096`,
  special: `
    100.64.0.1 100.127.255.255 198.18.0.1 198.19.255.255 192.0.2.1 198.51.100.1 203.0.113.1 192.88.99.1
    224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 4294967295 0xffffffff 037777777777`,
  ipv4InsideIpv6: `
    [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:10.0.0.1] [::ffff:a9fe:a9fe] [::ffff:0.0.0.0]
    [0:0:0:0:0:ffff:127.0.0.1] [::ffff:8.8.8.8] [::7f00:1] [::127.0.0.1] [::10.0.0.1] [::a9fe:a9fe]
    [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::a00:1] [64:ff9b::a9fe:a9fe]
    [64:ff9b:1::7f00:1] [64:ff9b:1:ffff::a00:1] [2002:7f00:1::] [2002:a00:1::1] [2002:a9fe:a9fe::]
    [2002:c0a8:1::1] [2001:0:7f00:1::] [2001::80ff:fffe] [fe80::5efe:127.0.0.1]`,
  otherIpv6: `
    [fc00::1] [fd12:3456:789a::1] [fdff:ffff::1] [fec0::1] [feff::1] [ff02::1] [ff0e::1] [100::1]
    [2001:db8::1] [3fff::1] [2001:2::1] [2001:10::1] [2001:20::1] [5f00::1] [4000::1] [1::1] [ffff::1]`,
};

/** Names with addresses that are not all public. */
export const hostileNames: Readonly<Record<string, readonly string[]>> = {
  'loopback.example': ['127.0.0.1'],
  '127.0.0.1.rebind.example': ['127.0.0.1'],
  'loopback6.example': ['::1'],
  'private.example': ['10.1.2.3'],
  'metadata.example': ['169.254.169.254'],
  'metadata6.example': ['fd00:ec2::254'],
  'metadata.google.internal': ['169.254.169.254'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'mapped-hex.example': ['::ffff:7f00:1'],
  'compatible.example': ['::7f00:1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'sixtofour.example': ['2002:7f00:1::'],
  'zoned.example': ['fe80::1%lo'],
  'unspecified.example': ['0.0.0.0'],
  'public-then-private.example': ['93.184.215.14', '127.0.0.1'],
  'private-then-public.example': ['127.0.0.1', '93.184.215.14'],
  'public-and-private6.example': ['93.184.215.14', '::1'],
  'one-of-many.example': ['93.184.215.14', '1.1.1.1', '8.8.8.8', '192.168.0.1', '9.9.9.9'],
  'nonsense.example': ['not an address'],
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
  'app.localhost': ['127.0.0.1'],
  redis: ['10.0.0.7'],
};

/** URLs that hide their target; none may reach the port. */
const disguises = [
  'http://example.com@127.0.0.1:{port}/',
  'http://93.184.215.14@127.0.0.1:{port}/',
  'http://user:password@127.0.0.1:{port}/',
  'http://example.com%40@127.0.0.1:{port}/',
  'http://127.0.0.1:{port}#@example.com/',
  'http://127.0.0.1:{port}?@example.com/',
  'http://127.0.0.1:{port}\\@example.com/',
  'http:\\\\127.0.0.1:{port}\\',
  'http:127.0.0.1:{port}',
  'http:/127.0.0.1:{port}',
  'http:////127.0.0.1:{port}/',
  'http://\t127.0.0.1:{port}/',
  'ht\ntp://127.0.0.1:{port}/',
  ' http://127.0.0.1:{port}/ ',
  'HTTP://127.0.0.1:{port}/',
  'http://[::1%25lo]:{port}/',
  'http://127.0.0.1\u0000.example.com:{port}/',
  'http://127.0.0.1%00.example.com:{port}/',
  'http://127.0.0.1:{port}@/',
  'http://127.0.0.1..:{port}/',
  'http://1.2.3.4.127.0.0.1:{port}/',
  'ftp://127.0.0.1:{port}/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:{port}/_x',
  'unix:///var/run/docker.sock',
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
  'data:text/plain,x',
  'javascript:alert(1)',
  'ws://127.0.0.1:{port}/',
  '//127.0.0.1:{port}/',
  '127.0.0.1:{port}',
  'http://',
  'http://:{port}/',
  '',
];

/** Rejected when they are given, and again when they are called. */
export const hostileUrls: readonly string[] = [
  ...Object.values(literals)
    .flatMap((hosts) => hosts.trim().split(/\s+/))
    .flatMap((host) => [`http://${host}:{port}/`, `https://${host}:{port}/`]),
  ...disguises,
];
