namespace Weir.Protocol.Page;

/// <summary>Where one ring of a page lies; its buffer has <see cref="PageLayout.RingSize"/> bytes. Every word counts the bytes of the stream, from 0.</summary>
/// <param name="Buffer">Its first byte.</param>
/// <param name="Committed">The writer's: how many bytes were added.</param>
/// <param name="Sent">The writer's: how many of them are the reader's to take. May be the same word.</param>
/// <param name="Origin">The writer's: how many were added before the one at the start of the buffer. Changes only while everything added was taken.</param>
/// <param name="Taken">The reader's: how many it took.</param>
public readonly record struct RingPlaces(int Buffer, int Committed, int Sent, int Origin, int Taken);
