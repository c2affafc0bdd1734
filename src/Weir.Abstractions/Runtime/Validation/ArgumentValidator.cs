using System.ComponentModel;
using System.ComponentModel.DataAnnotations;
using System.Globalization;
using System.Text.RegularExpressions;

namespace Weir.Runtime;

/// <summary>
/// Evaluates the validation attributes of one call's arguments by their own code, in the order of
/// <see cref="Validator.TryValidateObject(object, ValidationContext, ICollection{ValidationResult}, bool)"/>, and adds what they refuse to a list of binding errors.
/// Generated code walks the arguments; it needs no reflection. Not for concurrent use.
/// </summary>
/// <param name="errors">What is wrong with the arguments already, and receives more.</param>
/// <param name="services">What attributes see as the services of the <see cref="ValidationContext"/>; <c>null</c> for none.</param>
/// <param name="reader">Where the arguments were bound from; <c>null</c> where code has set them.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ArgumentValidator(BindingErrorList errors, IServiceProvider? services, ArgumentReader? reader = null)
{
    // As deep as JSON may be. Objects that come from code may contain themselves.
    private const int MostNested = 64;

    private static readonly object NoInstance = new();

    // The outermost object, and those inside: each is judged once, since there may be exponentially many ways to an object that others share.
    private object? _outermost;
    private HashSet<object>? _judged;
    private int _nested;

    /// <summary>The services that attributes see; <c>null</c> for none.</summary>
    public IServiceProvider? Services => services;

    /// <summary>
    /// Enters an argument. <c>false</c> when it did not bind: what it contains is not to be judged.
    /// </summary>
    /// <param name="index">The parameter's position among those that callers supply.</param>
    /// <param name="name">The parameter's name.</param>
    public bool BeginArgument(int index, string name)
    {
        if (errors.HasErrorOf(name))
        {
            return false;
        }

        errors.Source = reader is null ? "code" : reader.SourceOf(index) ?? "request";
        errors.Enter(name);
        return true;
    }

    /// <summary>Enters a member of the current value.</summary>
    /// <param name="name">Its name in JSON.</param>
    public void Enter(string name) => errors.Enter(name);

    /// <summary>Leaves the argument or member that was entered last.</summary>
    public void Leave() => errors.Leave();

    /// <summary>Evaluates the attributes of the current argument.</summary>
    /// <param name="name">The parameter's name.</param>
    /// <param name="displayName">Its name in messages.</param>
    /// <param name="value">The argument.</param>
    /// <param name="attributes">Its attributes.</param>
    public void CheckArgument(string name, string displayName, object? value, ValidationAttribute[] attributes)
    {
        ArgumentNullException.ThrowIfNull(attributes);
        var context = new ValidationContext(value ?? NoInstance, displayName, services, items: null) { MemberName = name };
        foreach (var attribute in attributes)
        {
            if (Evaluate(attribute, value, context) is { } refused)
            {
                Add(refused);
                if (attribute is RequiredAttribute)
                {
                    // As Validator does: the others may rely on a value.
                    break;
                }
            }
        }
    }

    /// <summary>Enters the members of an object. <c>false</c> where it was judged already, and, with an error, where objects are nested more than 64 deep.</summary>
    /// <param name="instance">The object.</param>
    /// <param name="displayName">Its name in messages.</param>
    /// <param name="jsonName">The name in JSON of a member by its name in C#.</param>
    /// <param name="scope">To be passed to every check of the object, and to <see cref="EndObject"/>.</param>
    public bool BeginObject(object instance, string displayName, Func<string, string> jsonName, out ObjectValidation scope)
    {
        scope = new ObjectValidation(new ValidationContext(instance, displayName, services, items: null), displayName, jsonName, errors.Count);
        if (_nested == MostNested)
        {
            errors.Add(BindingErrorReason.Validation, $"Values are nested more than {MostNested} deep.");
            return false;
        }

        if (_nested == 0)
        {
            _outermost = instance;
            _judged?.Clear();
        }
        else if (ReferenceEquals(instance, _outermost) || (!instance.GetType().IsValueType && !(_judged ??= new HashSet<object>(ReferenceEqualityComparer.Instance)).Add(instance)))
        {
            return false;
        }

        _nested++;
        return true;
    }

    /// <summary>Leaves an object.</summary>
    public void EndObject() => _nested--;

    /// <summary>Evaluates the attributes of a member.</summary>
    /// <param name="scope">The object.</param>
    /// <param name="member">The member's name in C#.</param>
    /// <param name="displayName">Its name in messages.</param>
    /// <param name="value">Its value.</param>
    /// <param name="attributes">Its attributes, <c>[Required]</c> first.</param>
    public void CheckMember(in ObjectValidation scope, string member, string displayName, object? value, ValidationAttribute[] attributes)
    {
        ArgumentNullException.ThrowIfNull(attributes);
        var context = scope.Context;
        context.MemberName = member;
        context.DisplayName = displayName;
        foreach (var attribute in attributes)
        {
            if (Evaluate(attribute, value, context) is { } refused)
            {
                Add(scope, refused, member);
                if (attribute is RequiredAttribute)
                {
                    break;
                }
            }
        }
    }

    /// <summary>Evaluates the attributes of an object's type, unless a member has an error.</summary>
    /// <param name="scope">The object.</param>
    /// <param name="attributes">The attributes of its type.</param>
    public void CheckType(in ObjectValidation scope, ValidationAttribute[] attributes)
    {
        ArgumentNullException.ThrowIfNull(attributes);
        if (errors.Count > scope.ErrorsBefore)
        {
            return;
        }

        var context = OfObject(scope);
        foreach (var attribute in attributes)
        {
            if (Evaluate(attribute, context.ObjectInstance, context) is { } refused)
            {
                Add(scope, refused, null);
            }
        }
    }

    /// <summary>Asks an object itself, unless one of its members or its type has an error.</summary>
    /// <param name="scope">The object; its type is an <see cref="IValidatableObject"/>.</param>
    public void CheckSelf(in ObjectValidation scope)
    {
        if (errors.Count > scope.ErrorsBefore)
        {
            return;
        }

        // User code may return null, as Validator allows.
        foreach (var refused in ((IValidatableObject)scope.Context.ObjectInstance).Validate(OfObject(scope)) ?? [])
        {
            if (refused is not null)
            {
                Add(scope, refused, null);
            }
        }
    }

    /// <summary>Validates every element of a list.</summary>
    /// <typeparam name="T">The element's type.</typeparam>
    /// <param name="items">The list; <c>null</c> has no elements.</param>
    /// <param name="validate">Validates one element.</param>
    public void Each<T>(IEnumerable<T>? items, Action<T, ArgumentValidator> validate)
    {
        ArgumentNullException.ThrowIfNull(validate);
        var index = 0;
        foreach (var item in items ?? [])
        {
            errors.Enter(index++);
            validate(item, this);
            errors.Leave();
        }
    }

    /// <summary>Validates every value of a dictionary.</summary>
    /// <typeparam name="TKey">The key's type.</typeparam>
    /// <typeparam name="TValue">The value's type.</typeparam>
    /// <param name="items">The dictionary; <c>null</c> has no values.</param>
    /// <param name="validate">Validates one value.</param>
    public void EachValue<TKey, TValue>(IEnumerable<KeyValuePair<TKey, TValue>>? items, Action<TValue, ArgumentValidator> validate)
    {
        ArgumentNullException.ThrowIfNull(validate);
        foreach (var (key, value) in items ?? [])
        {
            errors.Enter(Convert.ToString(key, CultureInfo.InvariantCulture) ?? "");
            validate(value, this);
            errors.Leave();
        }
    }

    /// <summary>The items of a streamed request that code supplies, each validated when the operation or its worker takes it.</summary>
    /// <typeparam name="T">The item's type.</typeparam>
    /// <param name="items">What the caller gave; <c>null</c> is returned as it is.</param>
    /// <param name="codec">Validates one item.</param>
    /// <param name="parameter">The parameter's name.</param>
    public IAsyncEnumerable<T> Items<T>(IAsyncEnumerable<T>? items, ItemCodec<T> codec, string parameter) =>
        items is null ? null! : new ValidatedItems<T>(items, codec, parameter, services);

    // An expression that takes too long for a text says nothing about it, and the text came from the caller: it is refused.
    private static ValidationResult? Evaluate(ValidationAttribute attribute, object? value, ValidationContext context)
    {
        try
        {
            return attribute.GetValidationResult(value, context);
        }
        catch (RegexMatchTimeoutException timeout)
        {
            return new ValidationResult($"The text took its expression longer than {timeout.MatchTimeout.TotalMilliseconds:0} ms, so it is not valid.");
        }
    }

    private static ValidationContext OfObject(in ObjectValidation scope)
    {
        var context = scope.Context;
        context.MemberName = null;
        context.DisplayName = scope.DisplayName;
        return context;
    }

    // An attribute may name other members than its own; without a name the error belongs to what was checked.
    private void Add(in ObjectValidation scope, ValidationResult refused, string? member)
    {
        var isNamed = false;
        foreach (var name in refused.MemberNames)
        {
            if (!string.IsNullOrEmpty(name))
            {
                isNamed = true;
                errors.Add(scope.JsonName(name), BindingErrorReason.Validation, Message(refused));
            }
        }

        if (isNamed)
        {
            return;
        }

        if (member is null)
        {
            Add(refused);
        }
        else
        {
            errors.Add(scope.JsonName(member), BindingErrorReason.Validation, Message(refused));
        }
    }

    private void Add(ValidationResult refused) => errors.Add(BindingErrorReason.Validation, Message(refused));

    private static string Message(ValidationResult refused) => string.IsNullOrEmpty(refused.ErrorMessage) ? "The value is not valid." : refused.ErrorMessage;
}
