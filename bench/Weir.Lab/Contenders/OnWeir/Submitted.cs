namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Calls that were made and not awaited: what the pool does with them is seen from outside.</summary>
internal sealed class Submitted(IHelloTasksClient client)
{
    // Bounded by the two bursts of a run.
    private readonly List<Task<string>> _calls = [];

    /// <summary>How many have no result.</summary>
    public int Unfinished => _calls.Count(call => !call.IsCompletedSuccessfully);

    public void Add(int count, int bytes)
    {
        for (var i = 0; i < count; i++)
            _calls.Add(client.Load(new byte[bytes]).AsTask());
    }
}
