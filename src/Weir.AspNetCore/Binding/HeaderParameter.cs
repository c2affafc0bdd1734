namespace Weir.AspNetCore.Binding;

/// <summary>A header that a parameter is read from.</summary>
/// <param name="Name">The header's name, as the parameter declares it.</param>
/// <param name="IsList">Whether commas separate values.</param>
internal sealed record HeaderParameter(string Name, bool IsList)
{
    /// <summary>The headers that an operation reads.</summary>
    internal static HeaderParameter[] Of(Operation operation) =>
        [.. operation.Parameters.Where(static one => one.Source == ParameterSource.Header).Select(static one => new HeaderParameter(one.WireName, one.IsList))];
}
