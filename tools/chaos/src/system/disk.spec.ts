import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Disk } from './disk.js';

const onMountable = Disk.fault() === undefined ? describe : describe.skip;

onMountable('a small disk', () => {
  let folder: string;
  let disk: Disk;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gangan-disk-'));
    disk = Disk.mount(join(folder, 'disk'), 1);
  });
  afterEach(() => {
    disk.unmount();
    rmSync(folder, { recursive: true });
  });

  it('is full when nothing can be written any more', async () => {
    expect(await disk.isFull()).toBe(false);
    await disk.fill();
    expect(await disk.isFull()).toBe(true);
    disk.free();
    expect(await disk.isFull()).toBe(false);
  });
});
