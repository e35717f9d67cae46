export const attackNames = ['spaces', 'deep-json', 'unknown-keys', 'slow-uploads', 'dead-hosts'] as const;

export type AttackName = (typeof attackNames)[number];

/** The attacks that are made of HTTP requests. */
export type HttpAttack = Exclude<AttackName, 'dead-hosts'>;

export const titles: Readonly<Record<AttackName, string>> = {
  spaces: '1 MiB of spaces',
  'deep-json': 'JSON 100,000 deep',
  'unknown-keys': 'unknown keys',
  'slow-uploads': 'slow uploads',
  'dead-hosts': 'dead callback hosts',
};
