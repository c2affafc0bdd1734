using System.Runtime.CompilerServices;
using Weir;

namespace Showcase;

/// <summary>What binding cannot know: a number that is well formed but makes no sense here.</summary>
internal static class Require
{
    private const int MostGathered = 10_000_000;

    internal static void NotNegative(int value, [CallerArgumentExpression(nameof(value))] string name = "")
    {
        if (value < 0)
        {
            throw new OperationStatusException(400, $"{name} is {value}; give 0 or more.");
        }
    }

    /// <summary>What is gathered before it is sent takes memory of the host; streams have no such limit.</summary>
    internal static void Gatherable(int value, [CallerArgumentExpression(nameof(value))] string name = "")
    {
        NotNegative(value, name);
        if (value > MostGathered)
        {
            throw new OperationStatusException(400, $"{name} is {value}; give {MostGathered} at most, or ask for the stream.");
        }
    }
}
