using System.Globalization;

namespace Weir.Lab.Contenders.Work;

/// <summary>The two methods of document 001.</summary>
internal static class Sleeping
{
    public static async Task<string> AioAsync(int milliseconds)
    {
        await Task.Delay(milliseconds, CancellationToken.None);
        return Answer(milliseconds);
    }

    public static string Bio(int milliseconds)
    {
        Thread.Sleep(milliseconds);
        return Answer(milliseconds);
    }

    private static string Answer(int milliseconds) => string.Create(CultureInfo.InvariantCulture, $"Hello world,{milliseconds}");
}
