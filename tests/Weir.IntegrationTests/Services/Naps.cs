namespace Weir.IntegrationTests.Services;

/// <summary>Blocks a thread of the lane for a time.</summary>
[Service]
public sealed class Naps
{
    [Get, Blocking]
    public int Take(int ms)
    {
        Thread.Sleep(ms);
        return ms;
    }
}
