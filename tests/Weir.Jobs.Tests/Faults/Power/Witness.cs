namespace Weir.Jobs.Tests.Faults.Power;

/// <summary>What was known outside the store at some moment: what callers were answered, and which code ran.</summary>
internal sealed class Witness
{
    /// <summary>Jobs whose submission was acknowledged.</summary>
    public HashSet<Guid> Accepted { get; } = [];

    /// <summary>Jobs whose cancellation was acknowledged.</summary>
    public HashSet<Guid> Cancelled { get; } = [];

    /// <summary>Jobs whose end was reported.</summary>
    public HashSet<Guid> Ended { get; } = [];

    /// <summary>Attempts whose code has begun.</summary>
    public List<(Guid Id, long Fence)> Started { get; } = [];

    public void Hear(string[] words)
    {
        var id = words.Length > 1 && Guid.TryParse(words[1], out var one) ? one : Guid.Empty;
        switch (words.FirstOrDefault())
        {
            case "accepted":
                Accepted.Add(id);
                break;
            case "cancelled":
                Cancelled.Add(id);
                break;
            case "ended":
                Ended.Add(id);
                break;
            case "start":
                Started.Add((id, long.Parse(words[2], System.Globalization.CultureInfo.InvariantCulture)));
                break;
        }
    }
}
