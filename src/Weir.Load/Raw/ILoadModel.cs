using Weir.Load.Measuring;

namespace Weir.Load.Raw;

/// <summary>When requests are sent. Called on the reactor's thread only.</summary>
internal interface ILoadModel
{
    /// <summary>What was seen.</summary>
    LoadResult Result { get; }

    /// <summary>When it must be called although nothing arrived, as a stamp of the clock; <see cref="long.MaxValue"/> for never.</summary>
    long NextDue { get; }

    bool IsDone { get; }

    /// <summary>Whether what arrives now is counted.</summary>
    bool Counts(Exchange exchange, long now);

    /// <summary>All connections are ready.</summary>
    void Begin(IReadOnlyList<LoadConnection> connections, long now);

    /// <summary>A connection can take another request: a response has ended on it, or it failed and will be opened again.</summary>
    void Ready(LoadConnection connection, long now);

    /// <summary>A response has ended.</summary>
    void Ended(Exchange exchange, int status, long now);

    /// <summary>A request failed, for this reason.</summary>
    void Failed(Exchange exchange, string kind, long now);

    /// <summary>The load ends now: what is in flight has no result.</summary>
    void Stop(long now);

    /// <summary>After everything that arrived was reported.</summary>
    void Tick(long now);
}
