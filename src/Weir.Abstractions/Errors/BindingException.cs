namespace Weir;

/// <summary>The arguments cannot be bound, or are not valid; every binding error is listed.</summary>
/// <param name="errors">All binding errors, in the order in which they were found.</param>
public sealed class BindingException(IReadOnlyList<BindingError> errors)
    : WeirException(CallStatus.BadRequest, WeirCodes.BadArguments, Describe(errors))
{
    /// <summary>All binding errors, in the order in which they were found.</summary>
    public IReadOnlyList<BindingError> Errors { get; } = errors;

    private static string Describe(IReadOnlyList<BindingError> errors)
    {
        if (errors.Count == 0)
        {
            return "The arguments cannot be bound.";
        }

        var isBound = errors.All(static error => error.Reason == BindingErrorReason.Validation);
        var (one, several) = isBound ? ("is not valid", "are not valid") : ("cannot be bound", "cannot be bound");
        var first = errors[0].ToString().TrimEnd('.');
        if (errors.Count == 1)
        {
            return $"The argument {one}: {first}.";
        }

        var arguments = errors.Select(static error => Argument(error.Name)).Distinct(StringComparer.OrdinalIgnoreCase).Count();
        return arguments == 1
            ? $"The argument {one}, for {errors.Count} reasons; first: {first}."
            : $"{arguments} arguments {several}; first: {first}.";
    }

    // The path of a value begins with the argument that it is part of.
    private static string Argument(string path)
    {
        var end = path.IndexOfAny(['.', '[']);
        return end < 0 ? path : path.Substring(0, end);
    }
}
