import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const defaultMegabytes = 1_024;
const probeBytes = 65_536;

/** A small disk of its own, so that it can be filled. Needs root. */
export class Disk {
  private readonly filler: string;

  private constructor(readonly path: string) {
    this.filler = join(path, 'filler');
  }

  /** @returns why it cannot be mounted, or nothing */
  static fault(): string | undefined {
    if (process.platform !== 'linux') return 'a tmpfs needs Linux';
    return process.getuid?.() === 0 ? undefined : 'mounting a tmpfs needs root';
  }

  static mount(path: string, megabytes = defaultMegabytes): Disk {
    mkdirSync(path);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path]);
    return new Disk(path);
  }

  /** Returns when nothing fits any more. */
  async fill(): Promise<void> {
    const full = promisify(execFile)('dd', ['if=/dev/zero', `of=${this.filler}`, 'bs=1M']);
    // It ends with an error, because the disk is full.
    await full.catch(() => undefined);
  }

  /** Whether a write fails because there is no space. */
  async isFull(): Promise<boolean> {
    const probe = join(this.path, 'probe');
    try {
      await writeFile(probe, Buffer.alloc(probeBytes));
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOSPC';
    } finally {
      await rm(probe, { force: true });
    }
  }

  free(): void {
    rmSync(this.filler, { force: true });
  }

  unmount(): void {
    execFileSync('umount', ['-l', this.path]);
  }
}
