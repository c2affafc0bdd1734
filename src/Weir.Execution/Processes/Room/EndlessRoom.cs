namespace Weir.Execution.Processes;

/// <summary>A host that bears as many workers as its pools' maxima allow.</summary>
internal sealed class EndlessRoom : IWorkerRoom
{
    public static readonly EndlessRoom Instance = new();

    private EndlessRoom()
    {
    }

    public int Take(int wanted) => wanted;

    public void Return(int count)
    {
    }
}
