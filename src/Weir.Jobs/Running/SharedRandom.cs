namespace Weir.Jobs.Running;

/// <summary>Random numbers for any thread, from one seed.</summary>
/// <param name="seed">The seed.</param>
internal sealed class SharedRandom(int seed) : Random(seed)
{
    private readonly Lock _gate = new();

    public override double NextDouble()
    {
        lock (_gate)
        {
            return base.NextDouble();
        }
    }
}
