namespace Weir;

/// <summary>The arguments do not bind; every binding error is listed.</summary>
/// <param name="faults">All binding errors, in the order in which they were found.</param>
public sealed class BindingException(IReadOnlyList<Fault> faults)
    : WeirException(CallStatus.BadRequest, WeirCodes.BadArguments, Describe(faults))
{
    /// <summary>All binding errors, in the order in which they were found.</summary>
    public IReadOnlyList<Fault> Faults { get; } = faults;

    private static string Describe(IReadOnlyList<Fault> faults)
    {
        if (faults.Count < 2)
        {
            return faults.Count == 0 ? "The arguments do not bind." : $"The argument does not bind: {faults[0]}.";
        }

        var arguments = faults.Select(static fault => Argument(fault.Name)).Distinct(StringComparer.OrdinalIgnoreCase).Count();
        return arguments == 1
            ? $"The argument does not bind, for {faults.Count} reasons; first: {faults[0]}."
            : $"{arguments} arguments do not bind; first: {faults[0]}.";
    }

    // The path of a value begins with the argument that it is part of.
    private static string Argument(string path)
    {
        var end = path.IndexOfAny(['.', '[']);
        return end < 0 ? path : path.Substring(0, end);
    }
}
