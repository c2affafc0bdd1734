using System.Text.Json;

namespace Weir.Runtime;

/// <summary>A converter of Weir could not read a value; the serializer adds the path to it.</summary>
/// <param name="expected">What a value looks like.</param>
internal sealed class UnexpectedJsonException(string expected) : JsonException($"Expected {expected}.")
{
    /// <summary>What a value looks like.</summary>
    internal string Expected => expected;
}
