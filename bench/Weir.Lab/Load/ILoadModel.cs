namespace Weir.Lab.Load;

/// <summary>When requests are sent. Called on the reactor's thread only.</summary>
internal interface ILoadModel
{
    /// <summary>When it must be called although nothing arrived, as a stamp of the clock; <see cref="long.MaxValue"/> for never.</summary>
    long NextDue { get; }

    bool IsDone { get; }

    /// <summary>All connections are open.</summary>
    void Begin(IReadOnlyList<LoadConnection> connections, long now);

    /// <summary>A response has ended.</summary>
    void Ended(LoadConnection connection, long start, int status, long now);

    /// <summary>A connection broke with requests in flight.</summary>
    void Broke(LoadConnection connection, long now);

    /// <summary>After everything that arrived was reported.</summary>
    void Tick(long now);
}
