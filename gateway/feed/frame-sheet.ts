/** How large a sheet is from the start, in bytes. */
const SHEET_BYTES = 512 * 1024;
/** What UTF-8 takes of a UTF-16 unit at most. */
const MAX_UTF8_BYTES = 3;

/**
 * Texts, encoded one after the other. A sheet is written again and again; what was written is taken from it as bytes of
 * their own.
 */
export class FrameSheet {
  #bytes = Buffer.allocUnsafe(SHEET_BYTES);
  #length = 0;

  /** @returns where the text ends. */
  write(text: string): number {
    this.#makeRoom(text.length * MAX_UTF8_BYTES);
    this.#length += this.#bytes.write(text, this.#length);
    return this.#length;
  }

  /**
   * Everything that was written since it was last taken, in memory of its own: a small Buffer of the pool would keep the
   * 8 KB of it that others share.
   */
  take(): Buffer<ArrayBuffer> {
    const taken = Buffer.allocUnsafeSlow(this.#length);
    this.#bytes.copy(taken, 0, 0, this.#length);
    this.#length = 0;
    if (this.#bytes.length > SHEET_BYTES) this.#bytes = Buffer.allocUnsafe(SHEET_BYTES);
    return taken;
  }

  #makeRoom(room: number): void {
    const needed = this.#length + room;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(needed * 2);
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
