namespace Weir.Protocol.SharedMemory;

/// <summary>The offsets of one ring; its buffer has <see cref="SharedMemoryLayout.RingSize"/> bytes. Every word counts the bytes of the stream, from 0.</summary>
/// <param name="Buffer">Its first byte.</param>
/// <param name="Committed">Written by the writer: how many bytes were added.</param>
/// <param name="Sent">Written by the writer: how many of them the reader may take. May be the same word.</param>
/// <param name="Origin">Written by the writer: how many were added before the one at the start of the buffer. Changes only while all were taken.</param>
/// <param name="Taken">Written by the reader: how many it took.</param>
/// <param name="ReaderSleeps">The <see cref="WaitWord{TAccess}"/> of a reader that waits for bytes.</param>
/// <param name="WriterWantsSpace">The <see cref="WaitWord{TAccess}"/> of a writer that waits for space.</param>
internal readonly record struct RingPlaces(int Buffer, int Committed, int Sent, int Origin, int Taken, int ReaderSleeps, int WriterWantsSpace);
