namespace Weir.Tests.Processes;

/// <summary>A timer that never fires.</summary>
internal sealed class NoTimer : ITimer
{
    public static readonly NoTimer Instance = new();

    public bool Change(TimeSpan dueTime, TimeSpan period) => true;

    public void Dispose()
    {
    }

    public ValueTask DisposeAsync() => default;
}
