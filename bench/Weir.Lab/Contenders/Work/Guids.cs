namespace Weir.Lab.Contenders.Work;

/// <summary>The producers of document 000's memory experiment, and the same with constant strings, where no random generator hides the rest.</summary>
internal static class Guids
{
    private const string Constant = "5f0c9a52-7b0f-4f4e-9a40-0f3f1a4f9a11";

    public static string[] Array(int count, bool constant) =>
        [.. Enumerable.Range(1, count).Select(_ => Make(constant))];

    // The document: 'any await will do', and this one completes at once.
    public static async IAsyncEnumerable<string> StreamAsync(int count, bool constant)
    {
        for (var i = 0; i < count; i++)
        {
            await Task.Delay(0, CancellationToken.None);
            yield return Make(constant);
        }
    }

    private static string Make(bool constant) => constant ? Constant : Guid.NewGuid().ToString();
}
