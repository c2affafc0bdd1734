namespace Weir.TypeScript.Tests.Application;

/// <summary>What the reports of one application have charged. Used concurrently.</summary>
public sealed class Ledger
{
    private int _charged;

    public int Charged => Volatile.Read(ref _charged);

    public void Charge(int amount) => Interlocked.Add(ref _charged, amount);
}
