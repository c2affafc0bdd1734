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

    /// <summary>Throws when an answer says that the operation has slept and it has not.</summary>
    public static void Check(int milliseconds, string answer)
    {
        if (answer != Answer(milliseconds))
            throw new InvalidDataException($"A task of {milliseconds} ms answered '{answer}'.");
    }

    /// <summary>The answer after a sleep of this duration.</summary>
    public static string Answer(int milliseconds) => string.Create(CultureInfo.InvariantCulture, $"Hello world,{milliseconds}");
}
