using Weir;

namespace Showcase;

/// <summary>Waiting in three ways: without a thread, on a thread of the lane, and on a thread of the thread pool.</summary>
[Service]
public sealed class Sleep
{
    [Get]
    public async Task<string> Aio(int ms, CancellationToken ct = default)
    {
        Require.NotNegative(ms);
        await Task.Delay(ms, ct);
        return $"Hello world,{ms}";
    }

    [Get, Blocking]
    public string Bio(int ms) => Block(ms);

    /// <summary>What plain ASP.NET Core would do with a blocking method: enough of these starve the thread pool.</summary>
    [Get]
    public string BioPlain(int ms) => Block(ms);

    private static string Block(int ms)
    {
        Require.NotNegative(ms);
        Thread.Sleep(ms);
        return $"Hello world,{ms}";
    }
}
