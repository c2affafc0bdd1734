namespace Weir.Server.Streaming;

/// <summary>Notes when a stream's caller left.</summary>
internal sealed class LeavingCaller(StreamSettings settings)
{
    private long _at;

    internal void Note() => Volatile.Write(ref _at, settings.Now());

    /// <summary>How long ago that was; zero if it is happening now.</summary>
    internal TimeSpan SinceThen() => Volatile.Read(ref _at) is var at and not 0 ? settings.ToTimeSpan(settings.Now() - at) : TimeSpan.Zero;
}
