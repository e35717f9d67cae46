/** Real work and money, or the simulator and play money. */
export type Mode = 'live' | 'test';

export const modes: readonly Mode[] = ['live', 'test'];
