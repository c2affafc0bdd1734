namespace Weir;

/// <summary>The arguments do not bind; every fault is listed.</summary>
/// <param name="faults">All faults, in the order in which they were found.</param>
public sealed class BindingException(IReadOnlyList<Fault> faults)
    : WeirException(CallStatus.BadRequest, WeirCodes.BadArguments, Describe(faults))
{
    /// <summary>All faults, in the order in which they were found.</summary>
    public IReadOnlyList<Fault> Faults { get; } = faults;

    private static string Describe(IReadOnlyList<Fault> faults) =>
        faults.Count == 0
            ? "The arguments do not bind."
            : faults.Count == 1 ? $"The argument does not bind: {faults[0]}." : $"{faults.Count} arguments do not bind; first: {faults[0]}.";
}
