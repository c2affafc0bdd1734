using System.Text.Json;

namespace Weir.Runtime;

/// <summary>A converter of Weir could not read a value; the serializer adds the path to it.</summary>
/// <param name="expected">What a value looks like.</param>
/// <param name="inner">What a client throws for a name that its enum does not declare; <c>null</c> elsewhere.</param>
internal sealed class UnexpectedJsonException(string expected, Exception? inner = null) : JsonException($"Expected {expected}.", inner)
{
    /// <summary>What a value looks like.</summary>
    internal string Expected => expected;
}
