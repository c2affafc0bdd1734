using Weir;

public enum Strength { Weak, Strong }

public sealed record Pot(string Leaf, Strength Strength, int[] Minutes);

public sealed class NoTeaException(string message) : Exception(message);

/// <summary>What this application serves, and calls over HTTP.</summary>
[Service(Route = "/kitchen")]
public interface IKitchen
{
    [Post("brew/{times:int}")]
    [Throws(typeof(NoTeaException), Status = 409)]
    ValueTask<Pot> Brew(int times, Pot pot, CancellationToken ct = default);

    [Get("pots")]
    IAsyncEnumerable<Pot> Pots(int n, Strength strength, CancellationToken ct = default);
}

[Service]
public sealed class Kitchen : IKitchen
{
    public ValueTask<Pot> Brew(int times, Pot pot, CancellationToken ct = default) =>
        pot.Leaf == "none" ? throw new NoTeaException("There is no tea.") : new(pot with { Minutes = [.. pot.Minutes.Select(minutes => minutes * times)] });

    public async IAsyncEnumerable<Pot> Pots(int n, Strength strength, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var i = 0; i < n; i++)
        {
            await Task.Yield();
            yield return new Pot($"{i}", strength, []);
        }
    }
}

/// <summary>Calls this application itself through the generated client.</summary>
[Service]
public sealed class Caller
{
    [Get]
    public async Task<string> Call(string address)
    {
        using var http = new HttpClient { BaseAddress = new Uri(address) };
        var kitchen = WeirClient.Create<IKitchen>(http);
        var pot = await kitchen.Brew(2, new Pot("assam", Strength.Strong, [1, 3]));
        var pots = 0;
        await foreach (var one in kitchen.Pots(1000, Strength.Strong))
        {
            pots += one.Strength == Strength.Strong ? 1 : 0;
        }

        try
        {
            await kitchen.Brew(1, new Pot("none", Strength.Weak, []));
            return "no exception";
        }
        catch (NoTeaException error)
        {
            return $"{pot.Leaf} {pot.Strength} {string.Join('+', pot.Minutes)}, {pots} pots, {error.Message}";
        }
    }
}
