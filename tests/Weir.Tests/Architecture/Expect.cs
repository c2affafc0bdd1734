namespace Weir.Tests.Architecture;

/// <summary>Fails with the whole list, where xunit would shorten it.</summary>
internal static class Expect
{
    public static void NoFault<T>(IEnumerable<T> faults)
    {
        var lines = faults.Select(fault => $"{fault}").ToArray();
        if (lines.Length > 0)
        {
            Assert.Fail(string.Join('\n', lines));
        }
    }
}
