using System.Security.Claims;
using Microsoft.AspNetCore.Authorization;
using SecureApi.Setup;
using Weir;

namespace SecureApi.Billing;

/// <summary>Every operation needs the policy <c>read</c>, and sees the invoices of the caller's tenant only: the tenant is in the token, not in the arguments.</summary>
[Service(Route = "/invoices"), Authorize(Access.Read)]
public sealed class Invoices(InvoiceBook book)
{
    /// <summary>The invoices of the caller's tenant.</summary>
    [Get("")]
    public Invoice[] List(ClaimsPrincipal user) => book.Of(Access.TenantOf(user));

    /// <summary>One invoice of the caller's tenant.</summary>
    [Get("{number:int}"), Throws(typeof(InvoiceNotFoundException), Status = StatusCodes.Status404NotFound)]
    public Invoice Find(int number, ClaimsPrincipal user) =>
        book.Of(Access.TenantOf(user)).FirstOrDefault(one => one.Number == number) ?? throw new InvoiceNotFoundException($"There is no invoice {number}.");

    /// <summary>Needs the policy <c>write</c> too.</summary>
    [Post(""), Authorize(Access.Write)]
    public Invoice Create(NewInvoice invoice, ClaimsPrincipal user) => book.Add(Access.TenantOf(user), invoice);

    /// <summary>The currencies of invoices, for everyone.</summary>
    [Get("currencies"), AllowAnonymous]
    public Currency[] Currencies() => Enum.GetValues<Currency>();
}
