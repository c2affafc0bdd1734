namespace Weir;

/// <summary>Where a parameter's value comes from.</summary>
public enum ParameterSource
{
    /// <summary>A named value of the path, the query, a form, or the JSON body.</summary>
    Value = 0,

    /// <summary>The JSON body is this parameter; the others come from path and query.</summary>
    Body = 1,

    /// <summary>The request's body, as bytes; the others come from path and query.</summary>
    Raw = 2,

    /// <summary>The request's body, item by item while the operation runs; the others come from path and query.</summary>
    Items = 3,
}
