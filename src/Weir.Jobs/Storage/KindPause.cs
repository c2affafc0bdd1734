namespace Weir.Jobs.Storage;

/// <summary>Pauses a kind, of which no job is claimed then, or resumes it. It stays so until the opposite is written.</summary>
/// <param name="Kind">The kind; there need not be a job of it yet.</param>
/// <param name="IsPaused">Whether it is paused.</param>
internal readonly record struct KindPause(string Kind, bool IsPaused);
