namespace Weir;

/// <summary>The arguments cannot be bound; every binding error is listed.</summary>
/// <param name="errors">All binding errors, in the order in which they were found.</param>
public sealed class BindingException(IReadOnlyList<BindingError> errors)
    : WeirException(CallStatus.BadRequest, WeirCodes.BadArguments, Describe(errors))
{
    /// <summary>All binding errors, in the order in which they were found.</summary>
    public IReadOnlyList<BindingError> Errors { get; } = errors;

    private static string Describe(IReadOnlyList<BindingError> errors)
    {
        if (errors.Count < 2)
        {
            return errors.Count == 0 ? "The arguments cannot be bound." : $"The argument cannot be bound: {errors[0]}.";
        }

        var arguments = errors.Select(static error => Argument(error.Name)).Distinct(StringComparer.OrdinalIgnoreCase).Count();
        return arguments == 1
            ? $"The argument cannot be bound, for {errors.Count} reasons; first: {errors[0]}."
            : $"{arguments} arguments cannot be bound; first: {errors[0]}.";
    }

    // The path of a value begins with the argument that it is part of.
    private static string Argument(string path)
    {
        var end = path.IndexOfAny(['.', '[']);
        return end < 0 ? path : path.Substring(0, end);
    }
}
