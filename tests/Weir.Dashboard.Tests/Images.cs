namespace Weir.Dashboard.Tests;

/// <summary>Work that takes time, in a pool that grows with it.</summary>
[Service, Isolated("images")]
public sealed class Images
{
    public int Scale(int milliseconds)
    {
        Thread.Sleep(milliseconds);
        return milliseconds;
    }
}
